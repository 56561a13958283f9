/** What tools act on: the management API of a server, or of a space of it. */
export interface AgentApi {
  /**
   * @param path - as in `/api/mocks/http`
   * @param onWarning - is told what the answer warns of, such as a mock that a contract does not allow
   * @returns the answer, read as JSON
   * @throws Error whose message names what was wrong and what would be right
   */
  call(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
    onWarning?: (text: string) => void,
  ): Promise<unknown>;
}

/** A page of the documentation. */
export interface DocumentPage {
  /** As in `guides/mocks.md`. */
  readonly name: string;
  readonly title: string;
  read(): string;
}

/** A space that was made for an agent. */
export interface AgentSpace extends AgentApi {
  /** By which clients of the mocks name it. */
  readonly id: string;
  /** Ends it, when it was used. */
  end(): Promise<void>;
}

/** What a server for agents is made of. */
export interface AgentParts {
  readonly version: string;
  /** The API that a session acts on; `undefined` names the server itself. */
  apiOf(space: string | undefined): AgentApi;
  /** A space of its own for a session, which begins with its first use. */
  ownSpace(): AgentSpace;
}
