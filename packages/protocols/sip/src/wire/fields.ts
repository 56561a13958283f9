/** Splits a list at the commas that stand neither in quotes nor in angle brackets (RFC 3261 section 7.3.1). */
export function splitList(value: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  let depth = 0;
  for (let index = 0; index < value.length; index += 1) {
    const character = value[index];
    if (isQuoted) {
      if (character === '\\') index += 1;
      else if (character === '"') isQuoted = false;
    } else if (character === '"') isQuoted = true;
    else if (character === '<') depth += 1;
    else if (character === '>') depth -= 1;
    else if (character === ',' && depth <= 0) {
      parts.push(value.slice(start, index).trim());
      start = index + 1;
    }
  }
  parts.push(value.slice(start).trim());
  return parts.filter((part) => part !== '');
}

/** A parameter of an address, such as `tag` of From; `undefined` when it is not there. */
export function parameterOf(address: string, name: string): string | undefined {
  // Parameters inside of the angle brackets are those of the URI.
  const start = Math.max(address.lastIndexOf('>'), 0);
  let at = address.indexOf(';', start);
  while (at >= 0) {
    const next = address.indexOf(';', at + 1);
    const end = next < 0 ? address.length : next;
    const equals = address.indexOf('=', at);
    const nameEnd = equals < 0 || equals > end ? end : equals;
    if (
      address
        .slice(at + 1, nameEnd)
        .trim()
        .toLowerCase() === name
    ) {
      return address.slice(Math.min(nameEnd + 1, end), end).trim();
    }
    at = next;
  }
  return undefined;
}

/** CSeq in parts; `undefined` when it is not a number of 31 bits and a method (RFC 3261 section 20.16). */
export function parseCSeq(value: string): { readonly number: number; readonly method: string } | undefined {
  const parts = /^(\d{1,10})[ \t]+([^\s]+)$/.exec(value);
  const number = Number(parts?.[1] ?? Number.NaN);
  const method = parts?.[2];
  return method !== undefined && number < 2 ** 31 ? { number, method } : undefined;
}
