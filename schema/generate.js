// Writes cms.config.schema.json from the definition in src/config/schema. Run by `npm run schema`.
import { writeFileSync } from 'node:fs'
import { configSchema } from '#config/schema.ts'

writeFileSync(new URL('cms.config.schema.json', import.meta.url), `${JSON.stringify(configSchema, null, 2)}\n`)
