import { checkAt, invalid, type ValueOf } from '@backlot/core/plugin';
import type { AclSchema } from './schemas.js';
import {
  CLUSTER_NAME,
  OPERATION,
  PATTERN,
  PERMISSION,
  problemOfAcl,
  RESOURCE,
  type Acl,
} from './broker/acl.js';
import { MAX_ACLS } from './broker/acls.js';

type ConfiguredAcl = ValueOf<typeof AclSchema>;

/** The rules that an entry of the configuration stands for: one an operation. */
export function readAcls(entry: ConfiguredAcl): readonly Acl[] {
  const {
    principal = 'User:*',
    host = '*',
    resource,
    name,
    pattern = 'literal',
    permission = 'allow',
  } = entry;
  return entry.operations.map((operation) => ({
    resourceType: RESOURCE[resource],
    resourceName: name ?? (resource === 'cluster' ? CLUSTER_NAME : ''),
    patternType: PATTERN[pattern],
    principal,
    host,
    operation: OPERATION[operation],
    permissionType: PERMISSION[permission],
  }));
}

/**
 * Checks the rules of a configuration.
 *
 * @throws BacklotError `invalid`
 */
export function checkAcls(entries: readonly ConfiguredAcl[]): void {
  const rules = entries.map((entry, index) => {
    const acls = readAcls(entry);
    checkAt(`/acls/${index}`, () => {
      for (const acl of acls) {
        const problem = problemOfAcl(acl);
        if (problem !== undefined) throw invalid(problem);
      }
    });
    return acls.length;
  });
  const count = rules.reduce((sum, some) => sum + some, 0);
  if (count <= MAX_ACLS) return;
  checkAt('/acls', () => {
    throw invalid(`there are ${count} rules, one an operation; at most ${MAX_ACLS} are taken`);
  });
}
