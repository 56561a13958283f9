import { RESULT } from '../result-codes.js';
import type { Result } from '../wire/encode.js';
import type { Control, Request } from '../wire/request.js';
import { OID } from '../wire/tags.js';
import { SUPPORTED_CONTROLS } from './root-dse.js';

/** RFC 4511, section 4.1.11: a control that is critical and not followed here refuses the whole. */
export function refuseControl({ type }: Request, controls: readonly Control[]): Result | undefined {
  const refused = controls.find(({ oid, isCritical }) => isCritical && !isFollowed(oid, type));
  if (refused === undefined) return undefined;
  const message = `the control ${refused.oid} is critical and not supported for this operation`;
  return { code: RESULT.unavailableCriticalExtension, message };
}

function isFollowed(oid: string, type: Request['type']): boolean {
  if (oid === OID.pagedResults) return type === 'search';
  if (oid === OID.treeDelete) return type === 'delete';
  return SUPPORTED_CONTROLS.some((supported) => supported === oid);
}
