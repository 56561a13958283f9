import { preflight } from './answers.mjs';
import { authorize, deny } from './authorize.mjs';
import { devicePage, startDevice } from './device.mjs';
import { discovery } from './discovery.mjs';
import { FLAWS } from './flaws.mjs';
import { token } from './grants.mjs';
import { introspect, keySet, revoke, userinfo } from './inspect.mjs';
import { logout } from './logout.mjs';
import { operation } from './provider.mjs';
import { register } from './register.mjs';

const OPERATIONS = {
  authorize,
  deny,
  devicePage,
  discovery,
  introspect,
  keySet,
  logout,
  register,
  revoke,
  startDevice,
  token,
  userinfo,
};

/**
 * Makes the functions of a provider's mocks, and of those of its scenarios: `token`, `tokenExpired` ...
 *
 * @param settings - what the service is:
 * - `name` of the service, and its `path`; `pathOf` a request where realms are below it, `below` gives what they add
 * - `endpoints` by their names in the metadata, below the path; `device_page` besides
 * - `keys`: the names of keys by algorithm, without that of the service, and of the `next` one
 * - `directory`, which finds clients and users; see `directory.mjs`
 * - `check`: throws for a request that is for nobody, such as one of a realm that is not there
 * - `openid`: whether there are ID tokens; `opaque`: whether access tokens are random texts
 * - `signedRefresh`: whether refresh tokens are JSON Web Tokens
 * - and as far as it differs: `audience`, `accessType`, `accessClaims`, `idClaims`, `serviceSubject`, `answerFields`,
 *   `wrongPassword`, `wrongPasswordStatus`, and for the login page `page`
 */
export function createProvider(settings) {
  const made = { preflight: () => preflight() };
  for (const [name, act] of Object.entries(OPERATIONS)) made[name] = operation(settings, act);
  for (const [flaw, fields] of Object.entries(FLAWS))
    made[`token${flaw}`] = operation(settings, token, fields);
  made.keySetBoth = operation(settings, keySet, { keySet: 'both' });
  made.keySetNext = operation(settings, keySet, { keySet: 'next' });
  return made;
}
