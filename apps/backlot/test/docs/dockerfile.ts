/** An instruction of a container file. */
export interface DockerStep {
  /** In capitals. */
  readonly name: string;
  /** What stands behind it, on one line. */
  readonly text: string;
}

/** What stands between one FROM and the next. */
export interface Stage {
  readonly image: string;
  readonly alias: string | undefined;
  readonly steps: readonly DockerStep[];
}

const KNOWN = /^(?:COPY|RUN|ENV|WORKDIR|USER|EXPOSE|HEALTHCHECK|ENTRYPOINT|CMD|LABEL)$/;

/**
 * Reads a container file as far as ours goes: continued lines, comments, stages.
 *
 * @throws Error for an instruction that is none, or that stands before the first FROM
 */
export function readDockerfile(text: string): readonly Stage[] {
  const stages: { image: string; alias: string | undefined; steps: DockerStep[] }[] = [];
  const lines = text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  for (const line of lines) {
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (name === 'FROM') {
      const [image = '', , alias] = rest.split(/\s+/);
      stages.push({ image, alias, steps: [] });
      continue;
    }
    const stage = stages.at(-1);
    if (!KNOWN.test(name) || stage === undefined)
      throw new Error(`no instruction that can stand here: ${line}`);
    stage.steps.push({ name, text: rest });
  }
  return stages;
}
