import { ROOT } from '../data/dn.js';
import { Attribute, Entry } from '../data/entry.js';
import { OID } from '../wire/tags.js';
import { SASL_MECHANISMS } from './bind.js';
import { SCHEMA_DN } from './schema-entry.js';

/** The controls that are followed when they are critical. */
export const SUPPORTED_CONTROLS = [OID.pagedResults, OID.manageDsaIt, OID.treeDelete] as const;

/** What the server says about itself (RFC 4512, section 5.1). */
export function makeRootDse(namingContexts: readonly string[], offersTls: boolean): Entry {
  const values: Readonly<Record<string, readonly string[]>> = {
    objectClass: ['top'],
    namingContexts,
    subschemaSubentry: [SCHEMA_DN.text],
    supportedControl: SUPPORTED_CONTROLS,
    supportedExtension: [OID.whoAmI, OID.passwordModify, ...(offersTls ? [OID.startTls] : [])],
    supportedFeatures: [OID.allOperationalAttributes, OID.absoluteTrueFalse],
    supportedLDAPVersion: ['3'],
    supportedSASLMechanisms: SASL_MECHANISMS,
    vendorName: ['Backlot'],
  };
  const attributes = Object.entries(values)
    .filter(([, list]) => list.length > 0)
    .map(
      ([name, list]) =>
        new Attribute(
          name,
          list.map((value) => Buffer.from(value, 'utf8')),
        ),
    );
  return new Entry(ROOT, attributes);
}
