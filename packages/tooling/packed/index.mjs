export { listInstalled, npmInstall, sizeOf } from './install.mjs';
export { packAll } from './pack.mjs';
export { startRegistry } from './registry.mjs';
export { readTarballs } from './tarball.mjs';
