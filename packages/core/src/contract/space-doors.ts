/** The way of one kind into a space, for what came to the port of another world. */
export interface SpaceDoor {
  /** The id of the space. */
  readonly id: string;
  /**
   * What the service of the kind has as `entrance` in the space; it is started first where it does not run.
   *
   * @throws BacklotError `not_enabled` when the space ends, or the kind takes nothing there
   */
  open(): unknown;
}

/** The spaces as a kind sees them that takes what is meant for them. */
export interface SpaceDoors {
  /** The way into the space with this id; undefined when that is this one, or there is none. */
  find(id: string): SpaceDoor | undefined;
  /**
   * The way into the space that a request names.
   *
   * @returns undefined when it is this one
   * @throws BacklotError `not_found`, which says how it ended when there was one
   */
  get(id: string): SpaceDoor | undefined;
  /** The way into the space that a login names, `t1` or `t1+user`; undefined when it names none, or this one. */
  ofLogin(name: string): SpaceDoor | undefined;
  /** Who logs in: of `t1+user`, in the space `t1`, `user`; nobody of `t1`; else the whole name. */
  userOf(name: string): string | undefined;
}
