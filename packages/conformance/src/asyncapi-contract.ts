/** What a channel of a contract allows: the whole texts that clients may send, and those that mocks may answer. */
export interface ContractChannel {
  readonly clients?: readonly string[];
  readonly mocks?: readonly string[];
}

/**
 * The file of a contract for kinds that are held to AsyncAPI, for their probes.
 *
 * @param channels - by their address; each has messages of one side, or of both
 */
export function asyncapiContract(channels: Readonly<Record<string, ContractChannel>>): {
  readonly name: string;
  readonly content: string;
} {
  const one = (texts: readonly string[]): object => ({
    message: { contentType: 'text/plain', payload: { type: 'string', enum: texts } },
  });
  const document = {
    asyncapi: '2.6.0',
    info: { title: 'Probe', version: '1' },
    channels: Object.fromEntries(
      Object.entries(channels).map(([address, { clients, mocks }]) => [
        address,
        {
          ...(clients !== undefined && { publish: one(clients) }),
          ...(mocks !== undefined && { subscribe: one(mocks) }),
        },
      ]),
    ),
  };
  return { name: 'probe.asyncapi.json', content: JSON.stringify(document) };
}
