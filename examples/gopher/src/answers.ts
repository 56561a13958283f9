/** A line of a menu, rendered. */
export interface MenuItem {
  readonly title: unknown;
  readonly type?: string;
  readonly selector?: unknown;
  readonly host?: string;
  readonly port?: number;
}

/** A text as RFC 1436 sends it: a line that begins with a dot gets a second one, and a lone dot ends it. */
export function writeText(text: string): string {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  return `${lines.map((line) => `${line.replace(/^\./, '..')}\r\n`).join('')}.\r\n`;
}

/** A menu; items that name no place are on this server. */
export function writeMenu(items: readonly MenuItem[], here: { host: string; port: number }): string {
  const lines = items.map(({ title, type, selector, host = here.host, port = here.port }) => {
    const fields = [title, selector ?? '', host, port].map((field) => toField(field));
    return `${type ?? (selector === undefined ? 'i' : '0')}${fields.join('\t')}\r\n`;
  });
  return `${lines.join('')}.\r\n`;
}

/** An error: a menu of one item of type 3. */
export function writeError(message: string): string {
  return `3${toField(message)}\t\terror.host\t1\r\n.\r\n`;
}

/** A rendered value may hold what a client has sent: a tab or a line's end would make other fields and lines of it. */
function toField(value: unknown): string {
  return String(value).replaceAll(/[\t\r\n]+/g, ' ');
}
