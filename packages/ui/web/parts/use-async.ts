import { useEffect, useState } from 'preact/hooks';

/** What was asked for: not yet, a value, or an error. */
export interface Asked<Value> {
  readonly value: Value | undefined;
  readonly error: string | undefined;
  /** Asks again; what is there stays until the answer. */
  readonly again: () => void;
}

/**
 * Asks for something, and again when one of the inputs changes.
 *
 * @param every - milliseconds after which it is asked for again, while the page can be seen; never when absent
 */
export function useAsync<Value>(
  ask: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
  every?: number,
): Asked<Value> {
  const [state, setState] = useState<{ value?: Value; error?: string }>({});
  const [round, setRound] = useState(0);
  useEffect(() => {
    setState({});
  }, inputs);
  useEffect(() => {
    const stop = new AbortController();
    ask(stop.signal).then(
      (value) => {
        if (!stop.signal.aborted) setState({ value });
      },
      (thrown: unknown) => {
        if (!stop.signal.aborted)
          setState({ error: thrown instanceof Error ? thrown.message : String(thrown) });
      },
    );
    return () => stop.abort();
  }, [...inputs, round]);
  useEffect(() => {
    if (every === undefined) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') setRound((old) => old + 1);
    }, every);
    return () => clearInterval(timer);
  }, [every]);
  return { value: state.value, error: state.error, again: () => setRound((old) => old + 1) };
}
