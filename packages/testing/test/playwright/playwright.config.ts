import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: '.',
  fullyParallel: true,
  workers: 2,
  reporter: 'json',
  timeout: 60_000,
  outputDir: process.env['OUTPUT'] ?? 'results',
  use: {
    baseURL: process.env['SHARED'] ?? '',
    extraHTTPHeaders: { baggage: 'user=ann' },
    launchOptions: {
      executablePath: '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
    },
  },
});
