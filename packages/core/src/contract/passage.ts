/** How a snapshot passes to another process: as plain data, which is objects, lists, maps, sets, bytes, texts, numbers and the like. */
export interface Passage<T> {
  /** Makes plain data of a snapshot; a promise where it takes long, or the snapshot is still being taken. */
  pack(saved: T): unknown;
  /** Makes the snapshot again. */
  unpack(packed: unknown): T;
}
