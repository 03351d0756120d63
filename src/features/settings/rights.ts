import type { Access } from '#core/access/access.ts'
import type { Setting } from '#core/settings.ts'
import { Forbidden, NotFound } from '#lib/errors.ts'

/** Returns whether a reader may read and change every setting. */
export function seesAll(access: Access): boolean {
  return access.may('settings:write')
}

/** Throws Forbidden for a caller who may read no setting. */
export function mustMayRead(access: Access): void {
  if (!access.may('content:read') && !seesAll(access)) throw new Forbidden('This needs the right content:read.')
}

/** Returns whether a setting exists for a reader; `setting` is undefined for one that is not declared. */
export function isThere(access: Access, setting: Setting | undefined): boolean {
  return setting?.isPublic === true || seesAll(access)
}

/** Throws Forbidden for a caller who may not change a setting, NotFound for one who may not know of it. */
export function mustMayWrite(access: Access, setting: Setting | undefined): void {
  if (seesAll(access)) return
  mustMayRead(access)
  throw isThere(access, setting) ? new Forbidden('This needs the right settings:write.') : noSetting()
}

/** The error for a setting that is not there. */
export function noSetting(): NotFound {
  return new NotFound('The setting was not found.')
}
