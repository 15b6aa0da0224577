import { useForm } from '@mantine/form';
import { validate } from './problems.ts';
import type { Wish } from './wish.ts';

export type Form = ReturnType<typeof useWishForm>;

export function useWishForm(initialValues: Wish) {
  return useForm({ initialValues, validate });
}
