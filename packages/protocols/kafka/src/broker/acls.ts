import {
  covers,
  isAbout,
  isChosen,
  isFor,
  OPERATION,
  PERMISSION,
  RESOURCE,
  type Acl,
  type AclFilter,
  type Actor,
  type Operation,
  type Resource,
} from './acl.js';

/** How many rules there are at most: each is looked at when somebody wants to do something. */
export const MAX_ACLS = 2000;

/** A snapshot of the rules. */
export type SavedAcls = readonly Acl[];

/** The access control lists (KIP-11). Who a rule is about is whoever has logged in; all others may do everything. */
export class Acls {
  /** Its snapshots are plain data. */
  readonly passes = 'plain';
  /** By all that they say, so that none is there twice. */
  #acls = new Map<string, Acl>();

  get isEmpty(): boolean {
    return this.#acls.size === 0;
  }

  /** @returns whether there was room for it */
  add(acl: Acl): boolean {
    const key = keyOf(acl);
    if (this.#acls.size >= MAX_ACLS && !this.#acls.has(key)) return false;
    this.#acls.set(key, acl);
    return true;
  }

  /** The rules that a filter chooses. */
  list(filter: AclFilter): readonly Acl[] {
    return [...this.#acls.values()].filter((acl) => isChosen(filter, acl));
  }

  delete(acl: Acl): void {
    this.#acls.delete(keyOf(acl));
  }

  /** Whether somebody may do something. What no rule is about is open to everybody (allow.everyone.if.no.acl.found). */
  allows(actor: Actor, wanted: Operation, resource: Resource, name: string): boolean {
    const type = RESOURCE[resource];
    const operation = OPERATION[wanted];
    let isOpen = true;
    let isAllowed = false;
    for (const acl of this.#acls.values()) {
      if (acl.resourceType !== type || !isAbout(acl, name)) continue;
      isOpen = false;
      if (!isFor(acl, actor) || !covers(acl, operation)) continue;
      if (acl.permissionType === PERMISSION.deny) return false;
      isAllowed = true;
    }
    return isOpen || isAllowed;
  }

  /** Whether somebody may do something to any resource of a kind, as idempotent producers are asked. */
  allowsSome(actor: Actor, wanted: Operation, resource: Resource): boolean {
    const type = RESOURCE[resource];
    const operation = OPERATION[wanted];
    const about = [...this.#acls.values()].filter((acl) => acl.resourceType === type && isFor(acl, actor));
    const isSaid = (permission: number, name?: string): boolean =>
      about.some(
        (acl) =>
          acl.permissionType === permission &&
          covers(acl, operation) &&
          (name === undefined || acl.resourceName === name),
      );
    // Resources that no rule is about are open, unless a rule denies all.
    return isSaid(PERMISSION.allow) || !isSaid(PERMISSION.deny, '*');
  }

  save(): SavedAcls {
    return [...this.#acls.values()];
  }

  restore(saved: SavedAcls): void {
    this.#acls = new Map(saved.map((acl) => [keyOf(acl), acl]));
  }
}

function keyOf(acl: Acl): string {
  const { resourceType, patternType, operation, permissionType, resourceName, principal, host } = acl;
  return JSON.stringify([
    resourceType,
    patternType,
    operation,
    permissionType,
    resourceName,
    principal,
    host,
  ]);
}
