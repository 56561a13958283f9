/** A user of a collection. */
export interface User {
  readonly name: string;
  readonly password: string;
  /** Absent: any domain. */
  readonly domain: string | undefined;
}

/** The users of a collection as they are now. */
export type Users = () => Iterable<User>;

/** Reads users of rows with `username`, `password` and, for ntlm, `domain`; other rows, and those that are `disabled`, are none. */
export function readUsers(rows: () => Iterable<Readonly<Record<string, unknown>>>): Users {
  return function* () {
    for (const { username, password, domain, disabled } of rows()) {
      if (typeof username !== 'string' || typeof password !== 'string' || disabled === true) continue;
      yield { name: username, password, domain: typeof domain === 'string' ? domain : undefined };
    }
  };
}
