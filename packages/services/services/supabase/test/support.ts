import { createRequire } from 'node:module';
import { createClient, type SupabaseClient, type SupabaseClientOptions } from '@supabase/supabase-js';

const { WebSocket } = createRequire(import.meta.url)('ws') as { readonly WebSocket: never };

type Options = SupabaseClientOptions<'public'>;

/** A client that keeps its session in memory, and refreshes nothing by itself. */
export function connectTo(url: string, key: string, options: Options = {}): SupabaseClient {
  return createClient(url, key, {
    ...options,
    auth: { persistSession: false, autoRefreshToken: false, ...options.auth },
    realtime: { transport: WebSocket, ...options.realtime },
  });
}
