import { runTool } from '@backlot/conformance';

/**
 * Runs the text of a module in a Node of its own, where libraries are loaded as applications load them.
 *
 * @returns the value that it has written as JSON
 */
export async function runModule(text: string): Promise<unknown> {
  const { out, err, code } = await runTool(process.execPath, ['--input-type=module'], { input: text });
  if (code !== 0) throw new Error(`the module ended with ${String(code)}: ${err}`);
  return JSON.parse(out);
}
