import { shellLine, type CommandDeclaration } from '@backlot/core/plugin';

const TOOLS: Readonly<Record<string, string>> = {
  GET: 'snmpget',
  GETNEXT: 'snmpgetnext',
  GETBULK: 'snmpbulkget',
};

/** Asks for the same objects again, with the same community. */
export const COMMAND: CommandDeclaration = {
  tool: 'snmpget',
  write({ method, extras = {} }, { host, port }) {
    const { version, community, bindings } = extras;
    const tool = TOOLS[method];
    // What users of version 3 have sent is signed by a password, which nobody here may write down.
    if (tool === undefined || typeof community !== 'string' || !Array.isArray(bindings)) return undefined;
    const oids = bindings.map((each: { readonly oid?: unknown }) => String(each.oid));
    return shellLine([tool, '-v', String(version), '-c', community, `${host}:${port}`, ...oids]);
  },
};
