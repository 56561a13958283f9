const KEY = /^[0-9a-z_.-]+$/;
const TEXT = /^[\x20-\x7e]*$/;

/** Whether a header can be metadata: grpc-js complains on the console about others, and pseudo-headers are none. */
export function isMetadata(name: string, value: string | readonly string[]): boolean {
  if (!KEY.test(name)) return false;
  return name.endsWith('-bin') || (typeof value === 'string' ? TEXT.test(value) : value.every(isText));
}

function isText(value: string): boolean {
  return TEXT.test(value);
}
