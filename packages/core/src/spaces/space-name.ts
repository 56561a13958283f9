/** What stands between a space and a user in the name of a login. */
const BETWEEN = '+';

/** The id of the space that a login may name: `t1` of `t1` and of `t1+user`. */
export function spaceIn(login: string): string {
  const end = login.indexOf(BETWEEN);
  return end < 0 ? login : login.slice(0, end);
}

/** Who logs in to a space: `user` of `t1+user`, else the whole name. */
export function userIn(login: string, space: string): string {
  return login.length > space.length + 1 && login.startsWith(space + BETWEEN)
    ? login.slice(space.length + 1)
    : login;
}
