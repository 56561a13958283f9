import type { Context } from '@backlot/core/plugin';
import type { DataPorts } from '../data/data-ports.js';
import type { FileTree } from '../files/file-tree.js';
import type { FtpLibrary } from '../library/ftp-library.js';
import type { FtpShape } from '../shape.js';

/** What all sessions share. */
export interface Services {
  readonly context: Context<FtpShape>;
  readonly library: FtpLibrary;
  readonly tree: FileTree;
  readonly ports: DataPorts;
  /** Whether AUTH TLS is there. */
  readonly canUpgrade: boolean;
}
