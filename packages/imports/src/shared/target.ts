/** What a url asks for: its path without the query, and the parameters of the query. */
export interface Target {
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** The host it names; empty for a path alone. */
  readonly host: string;
}

const LONGEST = 8192;

/** Takes a url or a path apart; `undefined` for what is neither. */
export function targetOf(url: string): Target | undefined {
  if (url.length > LONGEST) return undefined;
  const text = url.trim();
  const match = /^(?:(?:https?|wss?):)?\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/i.exec(text);
  const [host = '', path = '', search = ''] =
    match === null ? ['', ...(/^([^?#]*)(?:\?([^#]*))?/.exec(text)?.slice(1) ?? [])] : match.slice(1);
  if (/[\s\0]/.test(path)) return undefined;
  return {
    host,
    path: path.startsWith('/') ? path : `/${path}`,
    query: [...new URLSearchParams(search)],
  };
}
