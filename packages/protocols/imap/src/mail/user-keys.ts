/** The longest user name, and address, that is looked at (RFC 5321, section 4.5.3.1). */
const MAX_ADDRESS = 320;

/** The name under which a user's mail is found; case makes no difference. */
export function userKey(user: string): string {
  return user.slice(0, MAX_ADDRESS).toLowerCase();
}

/**
 * The users who see what was sent to an address: `ann+news@example.com` is for those who log in as that, as
 * `ann@example.com`, as `ann+news` and as `ann`.
 */
export function usersOf(address: string): readonly string[] {
  const key = userKey(address);
  const at = key.lastIndexOf('@');
  const local = at < 0 ? key : key.slice(0, at);
  const domain = at < 0 ? '' : key.slice(at);
  const plus = local.indexOf('+');
  const plain = plus > 0 ? local.slice(0, plus) : local;
  return [...new Set([key, local, plain + domain, plain])];
}
