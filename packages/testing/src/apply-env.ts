/**
 * Sets variables in `process.env`.
 *
 * @returns a function that puts back what was there before; what somebody else has set meanwhile stays
 */
export function applyEnv(variables: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  return () => {
    for (const [name, value] of before) {
      if (process.env[name] !== variables[name]) continue;
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}
