/** Reads the fields of protobuf messages that a table names. */
import protobuf from 'protobufjs/minimal.js';

type Reader = protobuf.Reader;

export type ReadField<Into> = (reader: Reader, into: Into) => void;

/** The fields of a message by number. All have wire type 2; other fields are skipped. */
export type Fields<Into> = Readonly<Record<number, ReadField<Into>>>;

/**
 * A hundred times what Envoy sends, with 100 headers. Without this bound, a message of 4 MB with only empty fields takes
 * 140 ms.
 */
const maxFields = 30_000;
/** Of the message that is being decoded. */
let fieldsLeft = 0;

/** Throws for bytes that are not a message, and for one of more than `maxFields`. */
export function decode<Into>(bytes: Uint8Array, fields: Fields<Into>, into: Into): Into {
  fieldsLeft = maxFields;
  const reader = protobuf.Reader.create(bytes);
  readFields(reader, reader.len, fields, into);
  return into;
}

/** Returns the reader of a field whose value is a message with these fields. */
export const message =
  <Into>(fields: Fields<Into>): ReadField<Into> =>
  (reader, into) => {
    const length = reader.uint32();
    readFields(reader, reader.pos + length, fields, into);
  };

/** Throws if a field goes beyond the end of its message. */
function readFields<Into>(reader: Reader, end: number, fields: Fields<Into>, into: Into): void {
  while (reader.pos < end) {
    fieldsLeft -= 1;
    if (fieldsLeft < 0) throw new RangeError(`the message has more than ${maxFields} fields`);
    const tag = reader.uint32();
    const read = (tag & 7) === 2 ? fields[tag >>> 3] : undefined;
    if (read === undefined) reader.skipType(tag & 7);
    else read(reader, into);
  }
  if (reader.pos !== end) throw new RangeError('a field is longer than its message');
}

/** The tag of a field: its number and its wire type, 0 for numbers and 2 for everything else. */
export const tag = (field: number, wireType: 0 | 2 = 2) => (field << 3) | wireType;
