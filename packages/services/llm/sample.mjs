const MAX_DEPTH = 20;

/** A value that a JSON Schema accepts, the same for the same schema: what a model might fill in. */
export function sampleOf(schema, top = schema, depth = 0) {
  if (typeof schema !== 'object' || schema === null || depth > MAX_DEPTH) return null;
  if (schema.$ref !== undefined) return sampleOf(resolve(schema.$ref, top), top, depth + 1);
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (schema.default !== undefined) return schema.default;
  const [branch] = schema.anyOf ?? schema.oneOf ?? [];
  if (branch !== undefined) return sampleOf(branch, top, depth + 1);
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== 'null') : schema.type;
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, inner]) => [
          name,
          sampleOf(inner, top, depth + 1),
        ]),
      );
    case 'array':
      return Array.from({ length: Math.min(schema.minItems ?? 1, 100) }, () =>
        sampleOf(schema.items ?? {}, top, depth + 1),
      );
    case 'integer':
    case 'number':
      return schema.minimum ?? (schema.exclusiveMinimum === undefined ? 1 : schema.exclusiveMinimum + 1);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return textFor(schema);
  }
}

function resolve(reference, top) {
  return reference
    .replace(/^#\/?/, '')
    .split('/')
    .filter((name) => name !== '')
    .reduce((at, name) => at?.[name], top);
}

const FORMATS = {
  date: '2030-01-02',
  'date-time': '2030-01-02T03:04:05Z',
  time: '03:04:05Z',
  duration: 'P1D',
  email: 'ann@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uuid: '00000000-0000-4000-8000-000000000000',
};

function textFor({ format, minLength = 0, maxLength }) {
  const text = (FORMATS[format] ?? 'text').padEnd(Math.min(minLength, 10_000), 'x');
  return maxLength === undefined ? text : text.slice(0, maxLength);
}
