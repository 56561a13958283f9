/** Members of all groups. */
const MAX_MEMBERS = 20_000;
/** Bytes of what members say about themselves and of their shares, and bytes of offsets, of all groups. */
const MAX_MEMBER_BYTES = 64 * 1024 * 1024;
const MAX_OFFSET_BYTES = 64 * 1024 * 1024;

/** What all groups hold together. */
export class GroupMemory {
  members = 0;
  memberBytes = 0;
  offsetBytes = 0;

  /** Whether one member more, that holds so many bytes, would be too much. */
  isFullFor(bytes: number): boolean {
    return this.members >= MAX_MEMBERS || this.memberBytes + bytes > MAX_MEMBER_BYTES;
  }

  /** Whether so many bytes more of members would be too many. */
  hasNoBytesFor(bytes: number): boolean {
    return this.memberBytes + bytes > MAX_MEMBER_BYTES;
  }

  /** Whether so many bytes more of offsets would be too many. */
  hasNoOffsetsFor(bytes: number): boolean {
    return this.offsetBytes + bytes > MAX_OFFSET_BYTES;
  }
}
