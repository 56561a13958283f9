import { readFile } from 'node:fs/promises';
import {
  invalid,
  type ContractDeclaration,
  type ContractFindings,
  type LoadedContract,
} from '@backlot/core/plugin';
import type { Breakage } from './breakage.js';
import type { CompiledEcho } from './matcher.js';

/** Characters of a line beyond which it is not looked at. */
const LONGEST = 100;

/** Lines `question=answer`: no other question may be asked, and none may be answered otherwise. */
export interface EchoContract extends LoadedContract {
  find(side: 'request' | 'answer', question: string, answer: string): ContractFindings;
}

export function createContracts(is: (one: Breakage) => boolean): ContractDeclaration {
  return {
    formats: 'lines',
    async load({ file }): Promise<EchoContract> {
      let text: string;
      try {
        text = await readFile(file, 'utf8');
      } catch {
        throw invalid(`"${file}" cannot be read`);
      }
      const answers = new Map(text.split('\n').map((line) => line.split('=') as [string, string]));
      const find: EchoContract['find'] = (side, line, answer) => {
        const [question = ''] = line.split(' ');
        const operation = answers.has(question) ? question : undefined;
        if (line.length > LONGEST)
          return {
            operation,
            violations: [],
            ...(!is('says nothing of what its contract has not checked') && { isUnchecked: true }),
          };
        if (operation === undefined)
          return { violations: [{ in: side, path: '/line', message: 'must be a line of the contract' }] };
        const wanted = answers.get(question) ?? '';
        if (side === 'request' || wanted === answer) return { operation, answer: 'any', violations: [] };
        return { operation, violations: [{ in: side, path: '/answer', message: `must be ${wanted}` }] };
      };
      return {
        operations: Array.from(answers.keys(), (name) => ({ name, answers: ['any'] })),
        digest: text,
        find,
        checkMock: ({ match }, compiled) => {
          if (is('holds no mocks to its contract')) return [];
          const { source } = (compiled as CompiledEcho).response;
          return find('answer', String(match), source).violations.map(({ path, message }) => ({
            path,
            message,
          }));
        },
      };
    },
  };
}
