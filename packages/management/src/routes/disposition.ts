/**
 * The header `Content-Disposition` that makes a browser store something under a name (RFC 6266): the name in ASCII for
 * old clients, and as it is.
 */
export function dispositionOf(filename: string): string {
  // A path in the name would be a place of the sender's choice.
  const name = filename
    .replaceAll(/[\0-\x1f\x7f]/g, '')
    .replace(/^.*[\\/]/, '')
    .slice(0, 255);
  if (name === '') return 'attachment';
  const ascii = name.replaceAll(/[^\x20-\x7e]|["%\\]/g, '_');
  if (ascii === name) return `attachment; filename="${ascii}"`;
  return `attachment; filename="${ascii}"; filename*=UTF-8''${percentEncode(name)}`;
}

/** RFC 8187, 3.2.1: `'`, `(`, `)` and `*` are encoded as well; half of a surrogate pair is no character. */
function percentEncode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
