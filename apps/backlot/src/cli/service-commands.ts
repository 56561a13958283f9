import type { Command } from 'commander';

/** Adds `services` with what can be done with one. */
export function addServiceCommands(program: Command): void {
  const services = program
    .command('services')
    .description('list the services that can be mocked by name, such as stripe')
    .option('--json', 'print as JSON')
    .action(async (options: { json?: boolean }) => {
      const { list } = await import('./services.js');
      list(options.json === true);
    });
  services
    .command('show')
    .description('print the file of a service')
    .argument('<name>', 'its name, its package, or its path')
    .option('--scenarios', 'only its scenarios')
    .option('--json', 'print as JSON')
    .action(async (name: string, options: { scenarios?: boolean }, command: Command) => {
      const { show } = await import('./services.js');
      show(name, options.scenarios === true, command.optsWithGlobals()['json'] === true);
    });
  services
    .command('eject')
    .description('write the folder of a service into the project, to be changed there')
    .argument('<name>', 'its name or its package')
    .option('--folder <folder>', 'where to write it (default: services/<name>)')
    .action(async (name: string, options: { folder?: string }) => {
      const { eject } = await import('./services.js');
      eject(name, options.folder);
    });
}
