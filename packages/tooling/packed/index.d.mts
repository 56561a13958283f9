/** A package as it would be published. */
export interface Tarball {
  readonly file: string;
  readonly manifest: { readonly name: string; readonly version: string };
  readonly size: number;
  readonly unpackedSize: number;
  readonly integrity: string;
}

export interface Registry {
  readonly url: string;
  stop(): Promise<void>;
}

export function packAll(destination: string): Promise<Tarball[]>;
export function readTarballs(folder: string): Tarball[];
export function startRegistry(tarballs: readonly Tarball[]): Promise<Registry>;
export function npmInstall(folder: string, args: readonly string[], registry?: string): Promise<void>;
export function listInstalled(folder: string): string[];
export function sizeOf(folder: string): number;
