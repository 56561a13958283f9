import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRequire } from 'node:module';
import { createFileRegistry, fromBinary, type DescService } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { runTool } from '@backlot/conformance';
import { folderWith } from './grpc-host.js';

/** The command `buf` of the package. */
const BUF = join(createRequire(import.meta.url).resolve('@bufbuild/buf/package.json'), '..', 'bin', 'buf');

/** Runs `buf`; its home is a folder that goes. */
export function buf(...args: string[]): ReturnType<typeof runTool> {
  return runTool(process.execPath, [BUF, ...args], { env: { HOME: folderWith({}) } });
}

/** The service `acme.Users` of a `.proto` file, as buf describes it. */
export async function describeUsers(proto: string): Promise<DescService> {
  const folder = folderWith({ 'acme.proto': proto });
  const { code, err } = await buf(
    'build',
    folder,
    '--as-file-descriptor-set',
    '-o',
    join(folder, 'acme.binpb'),
  );
  if (code !== 0) throw new Error(`buf build: ${err}`);
  const set = fromBinary(FileDescriptorSetSchema, readFileSync(join(folder, 'acme.binpb')));
  const service = createFileRegistry(set).getService('acme.Users');
  if (service === undefined) throw new Error('buf has described no acme.Users');
  return service;
}
