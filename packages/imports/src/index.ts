export { importers } from './importers.js';
export { parseTree, type ParsedTree } from '@backlot/contracts';
