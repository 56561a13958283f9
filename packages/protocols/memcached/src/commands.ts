/** What a command does; commands of the three protocols share the operations. */
export type Operation =
  'get' | 'store' | 'delete' | 'count' | 'touch' | 'flush' | 'stats' | 'meta get' | 'meta debug';

/** A command that a mock can answer. */
export interface CommandKind {
  readonly operation: Operation;
  /** The words for a success and for the other ways it can end, as mocks name them. */
  readonly statuses: readonly Status[];
}

/** How a command ends, in the words of the text protocol. */
export const STATUSES = [
  'VALUE',
  'END',
  'STORED',
  'NOT_STORED',
  'EXISTS',
  'NOT_FOUND',
  'DELETED',
  'TOUCHED',
  'OK',
] as const;

/** See {@link STATUSES}. */
export type Status = (typeof STATUSES)[number];

const GET: CommandKind = { operation: 'get', statuses: ['VALUE', 'END', 'NOT_FOUND'] };
const STORE: CommandKind = {
  operation: 'store',
  statuses: ['STORED', 'NOT_STORED', 'EXISTS', 'NOT_FOUND'],
};
const DELETE: CommandKind = { operation: 'delete', statuses: ['DELETED', 'NOT_FOUND', 'EXISTS'] };
const COUNT: CommandKind = { operation: 'count', statuses: ['VALUE', 'NOT_FOUND', 'NOT_STORED', 'EXISTS'] };

/** The commands that a mock can answer. Those of the binary protocol have the names of the text protocol. */
export const COMMANDS: ReadonlyMap<string, CommandKind> = new Map<string, CommandKind>([
  ['get', GET],
  ['gets', GET],
  ['gat', GET],
  ['gats', GET],
  ['set', STORE],
  ['add', STORE],
  ['replace', STORE],
  ['append', STORE],
  ['prepend', STORE],
  ['cas', STORE],
  ['delete', DELETE],
  ['incr', COUNT],
  ['decr', COUNT],
  ['touch', { operation: 'touch', statuses: ['TOUCHED', 'NOT_FOUND'] }],
  ['flush_all', { operation: 'flush', statuses: ['OK'] }],
  ['stats', { operation: 'stats', statuses: ['VALUE', 'END'] }],
  ['mg', { operation: 'meta get', statuses: GET.statuses }],
  ['ms', STORE],
  ['md', DELETE],
  ['ma', COUNT],
  ['me', { operation: 'meta debug', statuses: GET.statuses }],
]);
