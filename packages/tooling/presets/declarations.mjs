/** Where `backlot-declare` writes the declarations of a package's sources, one file for each, below its folder. */
export const DECLARATIONS = '.declarations';
