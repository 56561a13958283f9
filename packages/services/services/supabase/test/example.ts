import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { useBacklot } from '@backlot/testing';

const backlot = useBacklot({ services: ['supabase'] });

function connect(): SupabaseClient {
  return createClient(backlot.env.SUPABASE_URL, backlot.env.SUPABASE_ANON_KEY);
}

export { connect };
