/** A path as 257 shows it: in quotes, with its own quotes doubled (RFC 959, appendix II). */
export function quotePath(path: string): string {
  return `"${path.replaceAll('"', '""')}"`;
}
