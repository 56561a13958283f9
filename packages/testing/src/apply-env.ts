/**
 * Sets variables in `process.env`.
 *
 * @returns a function that puts back the values from before; a variable that was set to something else meanwhile stays
 * as it is
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
