import type { Protocol } from '@backlot/core/plugin';
import { ldap as declared } from './plugin.js';
import type { LdapTypes } from './types.generated.js';

export type {
  LdapAnswer,
  LdapAttribute,
  LdapConfig,
  LdapConfigEntry,
  LdapEntry,
  LdapFault,
  LdapMock,
  LdapTypes,
  LdapUser,
} from './types.generated.js';

/** LDAP version 3. */
export const ldap = declared as Protocol as Protocol<LdapTypes>;
