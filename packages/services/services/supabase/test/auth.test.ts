import { describe, expect, it } from '@jest/globals';
import type { SupabaseClient } from '@supabase/supabase-js';
import { useBacklot } from '@backlot/testing';
import { connectTo } from './support.js';

const backlot = useBacklot({ services: ['supabase'] });

const anonymous = (): SupabaseClient => connectTo(backlot.env.SUPABASE_URL, backlot.env.SUPABASE_ANON_KEY);
const service = (): SupabaseClient =>
  connectTo(backlot.env.SUPABASE_URL, backlot.env.SUPABASE_SERVICE_ROLE_KEY);
const ANN = { email: 'ann@example.com', password: 'correct horse' };

async function signedUp(): Promise<SupabaseClient> {
  const client = anonymous();
  await client.auth.signUp(ANN);
  return client;
}

describe('users', () => {
  it('sign up, and are who they say', async () => {
    const client = anonymous();
    const { data, error } = await client.auth.signUp({ ...ANN, options: { data: { name: 'Ann' } } });
    expect(error).toBeNull();
    expect(data.session).toMatchObject({ token_type: 'bearer', expires_in: 3600 });
    const { data: known } = await client.auth.getUser();
    expect(known.user).toMatchObject({
      id: data.user?.id,
      email: 'ann@example.com',
      role: 'authenticated',
      user_metadata: { name: 'Ann' },
    });
    expect(JSON.stringify(known)).not.toContain('correct horse');
  });

  it('sign in by password, and not by another', async () => {
    await signedUp();
    const client = anonymous();
    const wrong = await client.auth.signInWithPassword({ ...ANN, password: 'guess' });
    expect(wrong.error).toMatchObject({
      status: 400,
      code: 'invalid_credentials',
      message: 'Invalid login credentials',
    });
    const right = await client.auth.signInWithPassword(ANN);
    expect(right.data.user?.email).toBe('ann@example.com');
    const again = await client.auth.signUp(ANN);
    expect(again.error).toMatchObject({ status: 422, code: 'user_already_exists' });
    const weak = await client.auth.signUp({ email: 'b@example.com', password: 'abc' });
    expect(weak.error).toMatchObject({ name: 'AuthWeakPasswordError', reasons: ['length'] });
  });

  it('refresh sessions, each token once', async () => {
    const client = await signedUp();
    const before = (await client.auth.getSession()).data.session;
    const refreshed = await client.auth.refreshSession();
    expect(refreshed.data.session?.refresh_token).not.toBe(before?.refresh_token);
    const used = await anonymous().auth.refreshSession({ refresh_token: before?.refresh_token ?? '' });
    expect(used.error).toMatchObject({ code: 'refresh_token_already_used' });
    const none = await anonymous().auth.refreshSession({ refresh_token: 'none' });
    expect(none.error).toMatchObject({ code: 'refresh_token_not_found' });
  });

  it('sign out here or everywhere', async () => {
    const first = await signedUp();
    const second = anonymous();
    await second.auth.signInWithPassword(ANN);
    const token = (await first.auth.getSession()).data.session?.access_token;
    expect((await first.auth.signOut({ scope: 'local' })).error).toBeNull();
    expect((await anonymous().auth.getUser(token)).error?.name).toBe('AuthSessionMissingError');
    expect((await second.auth.getUser()).error).toBeNull();
    await second.auth.signOut();
    expect(backlot.collection('supabase:auth.sessions').size).toBe(0);
  });

  it('change what is known of them', async () => {
    const client = await signedUp();
    const { data } = await client.auth.updateUser({ data: { tea: 'green' }, password: 'battery staple' });
    expect(data.user?.user_metadata).toEqual({ tea: 'green' });
    const same = await client.auth.updateUser({ password: 'battery staple' });
    expect(same.error).toMatchObject({ code: 'same_password' });
    const signIn = await anonymous().auth.signInWithPassword({ ...ANN, password: 'battery staple' });
    expect(signIn.error).toBeNull();
  });

  it('sign in by a code, and without an address', async () => {
    const client = anonymous();
    await client.auth.signInWithOtp({ email: 'bob@example.com' });
    const [{ code } = { code: '' }] = backlot.collection<{ code: string }>('supabase:auth.codes').list();
    const wrong = await client.auth.verifyOtp({ email: 'bob@example.com', token: '1', type: 'email' });
    expect(wrong.error).toMatchObject({ status: 403, code: 'otp_expired' });
    const { data } = await client.auth.verifyOtp({ email: 'bob@example.com', token: code, type: 'email' });
    expect(data.user?.email).toBe('bob@example.com');
    expect((await anonymous().auth.signInAnonymously()).data.user?.is_anonymous).toBe(true);
  });

  it('carry their token to tables, until it expires', async () => {
    backlot.collection('supabase:todos').create({ id: 1 });
    const client = await signedUp();
    const token = (await client.auth.getSession()).data.session?.access_token ?? '';
    const url = `${backlot.env.SUPABASE_URL}/rest/v1/todos`;
    const ask = () =>
      fetch(url, { headers: { apikey: 'sb_publishable_x', Authorization: `Bearer ${token}` } });
    expect((await ask()).status).toBe(200);
    await backlot.clock.advance(61 * 60_000);
    const late = await ask();
    expect([late.status, await late.json()]).toMatchObject([
      401,
      { code: 'PGRST303', message: 'JWT expired' },
    ]);
  });

  it('are told when there are too many calls', async () => {
    backlot.scenarios.activate('supabase:rate-limited');
    const { error } = await anonymous().auth.signInWithPassword(ANN);
    expect(error).toMatchObject({ status: 429, code: 'over_request_rate_limit' });
  });
});

describe('the service role', () => {
  it('makes, lists, changes and removes users; others do not', async () => {
    const { admin } = service().auth;
    const made = await admin.createUser({ ...ANN, email_confirm: true, app_metadata: { plan: 'pro' } });
    const id = made.data.user?.id ?? '';
    expect(made.data.user).toMatchObject({ app_metadata: { plan: 'pro', provider: 'email' } });
    expect((await admin.listUsers()).data.users).toMatchObject([{ id }]);
    expect((await anonymous().auth.signInWithPassword(ANN)).error).toBeNull();
    const changed = await admin.updateUserById(id, { email: 'ann2@example.com' });
    expect(changed.data.user?.email).toBe('ann2@example.com');
    expect((await admin.deleteUser(id)).error).toBeNull();
    expect((await admin.getUserById(id)).error).toMatchObject({ status: 404, code: 'user_not_found' });
    expect((await anonymous().auth.admin.listUsers()).error).toMatchObject({
      status: 403,
      code: 'not_admin',
    });
  });

  it('makes users who have not confirmed', async () => {
    await service().auth.admin.createUser(ANN);
    const { error } = await anonymous().auth.signInWithPassword(ANN);
    expect(error).toMatchObject({ code: 'email_not_confirmed' });
  });
});
