/** An error as Confluent's registry answers it: a status of HTTP, a code of its own and a message. */
export class RegistryError extends Error {
  readonly status: number;
  readonly code: number;

  /** @param code - whose first three digits are the status, or the status itself */
  constructor(code: number, message: string) {
    super(message);
    this.name = 'RegistryError';
    this.code = code;
    this.status = code < 1000 ? code : Math.floor(code / 100);
  }
}

/** The errors of the registry by what is wrong (Confluent's Schema Registry API reference). */
export const REGISTRY_ERRORS = {
  subjectNotFound: (subject: string) => new RegistryError(40401, `Subject '${subject}' not found.`),
  versionNotFound: (version: number | string) => new RegistryError(40402, `Version ${version} not found.`),
  schemaNotFound: (id?: number) =>
    new RegistryError(40403, id === undefined ? 'Schema not found' : `Schema ${id} not found`),
  subjectDeleted: (subject: string) =>
    new RegistryError(
      40404,
      `Subject '${subject}' was soft deleted. Set permanent=true to delete permanently`,
    ),
  subjectNotDeleted: (subject: string) =>
    new RegistryError(40405, `Subject '${subject}' was not deleted first before being permanently deleted`),
  versionDeleted: (subject: string, version: number) =>
    new RegistryError(
      40406,
      `Subject '${subject}' Version ${version} was soft deleted. Set permanent=true to delete permanently`,
    ),
  versionNotDeleted: (subject: string, version: number) =>
    new RegistryError(
      40407,
      `Subject '${subject}' Version ${version} was not deleted first before being permanently deleted`,
    ),
  levelNotConfigured: (subject: string) =>
    new RegistryError(40408, `Subject '${subject}' does not have subject-level compatibility configured`),
  modeNotConfigured: (subject: string) =>
    new RegistryError(40409, `Subject '${subject}' does not have subject-level mode configured`),
  incompatible: (reasons: readonly string[]) =>
    new RegistryError(
      409,
      `Schema being registered is incompatible with an earlier schema: ${reasons.join('; ')}`,
    ),
  invalidSchema: (reason: string) => new RegistryError(42201, `Invalid schema: ${reason}`),
  invalidVersion: (version: string) =>
    new RegistryError(
      42202,
      `The specified version '${version}' is not a valid version id. Allowed values are between [1, 2^31-1] and the string "latest"`,
    ),
  invalidLevel: () =>
    new RegistryError(
      42203,
      'Invalid compatibility level. Valid values are none, backward, forward, full, backward_transitive, forward_transitive, and full_transitive',
    ),
  invalidMode: () =>
    new RegistryError(
      42204,
      'Invalid mode. Valid values are READWRITE, READONLY, READONLY_OVERRIDE and IMPORT',
    ),
  notPermitted: (reason: string) => new RegistryError(42205, reason),
  referenced: (subject: string, version: number) =>
    new RegistryError(42206, `One or more references exist to the schema '${subject}' version ${version}`),
} as const;
