process.stdout.write(process.env.PATH ?? '');
