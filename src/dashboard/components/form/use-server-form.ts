import { type UseFormInput, useForm } from '@mantine/form';
import { useSubmit } from '../../api/use-submit.ts';
import { messagesByField } from './field-errors.ts';

interface Options<Values, Result> extends UseFormInput<Values> {
  readonly initialValues: Values;
  /** Sends valid values to the server. */
  readonly send: (values: Values) => Promise<Result>;
  readonly onSent?: (result: Result, values: Values) => void;
  readonly onFailed?: (error: Error, values: Values) => void;
  /** The names of the form's fields for those fields of the server whose names differ. */
  readonly renamed?: Readonly<Record<string, string>>;
}

/**
 * A form of `@mantine/form` that is sent to the server, once at a time. The server's messages about fields become the
 * errors of these fields. Spread `frame` into `Form`, and `getInputProps` into each input.
 */
export function useServerForm<Values extends object, Result>(options: Options<Values, Result>) {
  const { send, onSent, onFailed, renamed = {}, ...rest } = options;
  const form = useForm<Values>({ mode: 'controlled', ...rest });
  const { submit, reset, data, error, isPending, isSuccess } = useSubmit({
    mutationFn: send,
    onSuccess: (result, sent) => {
      // What the user typed after sending is still unsaved.
      form.resetDirty(sent);
      onSent?.(result, sent);
    },
    onError: (error, sent) => {
      form.setErrors(messagesByField(error, renamed));
      onFailed?.(error, sent);
    },
    // Caches neither the values nor the response, because they can be secrets.
    gcTime: 0,
  });
  const isDirty = form.isDirty();
  return {
    ...form,
    /** Sends values without validating them, for forms that ask the user first. */
    send: submit,
    forgetResult: reset,
    data,
    error,
    isPending,
    isSuccess,
    frame: {
      submit: () => form.onSubmit((values) => submit(values))(),
      error,
      fields: [...Object.keys(form.values), ...Object.keys(renamed)],
      isPending,
      isDirty,
    },
  };
}
