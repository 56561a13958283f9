import { createHost, exporterFor, exportSource, importFile, readImport, runExport } from '@backlot/core';
import type { ExportReport, Host, Imported, Protocol } from '@backlot/core';
import { runAtOnce } from '@backlot/core/plugin';
import { importers, parseTree } from '@backlot/imports';
import { exporters } from '../../src/index.js';

/** A host that listens, with what an import or a configuration says. */
export async function running(
  protocols: readonly Protocol[],
  { protocols: settings = {}, reactions, state }: Imported,
  cleanup: (end: () => unknown) => void,
): Promise<Host> {
  const kinds = protocols.map(({ kind }) => kind);
  const host = await createHost({
    protocols,
    settings: Object.fromEntries(kinds.map((kind) => [kind, settings[kind] ?? {}])),
    ...(reactions === undefined ? {} : { reactions }),
    ...(state === undefined ? {} : { state }),
    version: '1.2.3',
  });
  cleanup(() => host.stop(0));
  await host.start();
  return host;
}

/** What is written of a host. */
export async function exported(
  host: Host,
  format: string,
  id?: string,
): Promise<{ readonly bytes: Buffer; readonly text: string; readonly report: ExportReport }> {
  const protocols = host.kinds.map(({ protocol }) => protocol);
  const exporter = await exporterFor(format, protocols, exporters);
  const { pieces, report } = runExport(exporter, exportSource(host), { id });
  const parts: Buffer[] = [];
  for (const piece of pieces) if (piece !== undefined) parts.push(Buffer.from(piece as string));
  const bytes = Buffer.concat(parts);
  return { bytes, text: bytes.toString(), report: report() };
}

/** What our own importers make of a file. */
export function imported(content: string | Uint8Array, name = ''): Imported {
  const text = Buffer.from(content as string).toString();
  const file = importFile({ name, content, ...parseTree(text, name) });
  return runAtOnce(readImport(file, importers, { seed: 1 })).imported;
}
