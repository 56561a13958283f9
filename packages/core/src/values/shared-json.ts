/** Marks bytes in JSON; names that begin like it have it twice. */
const MARK = '$';
const BYTES = '$bytes';

/** A value as JSON that {@link fromSharedJson} makes the same of: bytes are texts in an object, and what has no value is left out. */
export function toSharedJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array)
    return { [BYTES]: Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64') };
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((inner: unknown) => toSharedJson(inner ?? null));
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      inner === undefined ? [] : [[name.startsWith(MARK) ? MARK + name : name, toSharedJson(inner)]],
    ),
  );
}

/** The value of which {@link toSharedJson} has made JSON. */
export function fromSharedJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(fromSharedJson);
  const bytes = (value as Readonly<Record<string, unknown>>)[BYTES];
  if (typeof bytes === 'string') return Buffer.from(bytes, 'base64');
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.startsWith(MARK) ? name.slice(MARK.length) : name,
      fromSharedJson(inner),
    ]),
  );
}
