import { AsyncApiContract, loadSource } from '@backlot/contracts';
import type { ContractSource, LoadedContract, MockViolation } from '@backlot/core/plugin';
import type { CompiledMqtt } from '../matcher.js';

/** An AsyncAPI document that messages and answers of MQTT are held to. */
export class MqttContract implements LoadedContract {
  readonly document: AsyncApiContract;

  constructor(document: AsyncApiContract) {
    this.document = document;
  }

  get operations(): LoadedContract['operations'] {
    return this.document.operations;
  }

  get digest(): string {
    return this.document.digest;
  }

  checkMock(mock: Readonly<Record<string, unknown>>, compiled: unknown): readonly MockViolation[] {
    const { topic, payload } = this.#constantAnswer(mock, compiled as CompiledMqtt);
    if (topic === undefined || payload === undefined) return [];
    return this.document
      .checkMessage('answer', topic, payload, 'topic')
      .violations.map(({ path, message }) => ({ path: '/response', message: `${path} ${message}` }));
  }

  /** Where an answer goes, and what it is, as far as both are the same each time. */
  #constantAnswer(
    { response }: Readonly<Record<string, unknown>>,
    compiled: CompiledMqtt,
  ): { readonly topic: string | undefined; readonly payload: Buffer | undefined } {
    const { topic } = (response ?? {}) as { readonly topic?: string };
    const isConstant = topic !== undefined && topic !== '' && !topic.includes('{{');
    return { topic: isConstant ? topic : undefined, payload: compiled.response?.constant };
  }
}

/** Reads the document that the settings name. */
export async function loadMqttContract({ file }: ContractSource): Promise<MqttContract> {
  return new MqttContract(new AsyncApiContract(await loadSource(file), { separator: '/' }));
}
