/** What has changed of a part of a host that took other options. */
export interface ReconfiguredPart {
  readonly part: 'mocks' | 'items' | 'scenarios' | 'reactions' | 'state' | 'collections';
  /** The kind of mocks; of items the kind with the name of their list, as in `snmp/traps`. */
  readonly name?: string;
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** What a host that took other options did; see `Host.reconfigure`. */
export interface Reconfigured {
  readonly parts: readonly ReconfiguredPart[];
  /**
   * The kinds whose services were started, stopped, or started anew with other settings; `renewed` are those that go on, and have taken
   * files that were written anew, such as certificates.
   */
  readonly services: readonly {
    readonly kind: string;
    readonly did: 'started' | 'stopped' | 'restarted' | 'renewed';
  }[];
  /** Further options that hold from now on, such as `vars`. */
  readonly taken: readonly string[];
  /** Options that differ and count when a host is made, such as `seed`. */
  readonly notTaken: readonly string[];
  /** Whether there are kinds now whose routes the management interface did not have: it is to be made anew. */
  readonly hasNewRoutes: boolean;
}
