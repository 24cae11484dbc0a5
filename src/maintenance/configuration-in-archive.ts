/**
 * The names of the user's configuration in backups. It decides where data is sent, so a restore never uses it;
 * it is only extracted when a whole archive is extracted to a folder.
 */
export const SETTINGS_NAME = 'configuration/config.json';
export const PROVIDERS_NAME = 'configuration/providers.json';

export const isConfiguration = (name: string): boolean =>
  name === SETTINGS_NAME || name === PROVIDERS_NAME;
