import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
} from '@ai-sdk/provider'

export interface ProviderSettings {
  readonly baseURL: string
  /** Of the variables that the provider was found to need, and of those that it may use. */
  readonly values: Readonly<Record<string, string>>
  readonly fetch: typeof fetch
}

export interface Provider {
  /** Before the colon. */
  readonly id: string
  readonly title: string
  /** Any of these sets of variables will do. */
  readonly needs: readonly (readonly string[])[]
  readonly mayUse?: readonly string[]
  readonly baseUrlVariables: readonly string[]
  /** Undefined: only the variable tells. */
  readonly baseURL?: (values: Readonly<Record<string, string>>) => string
  /** What becomes of the path of a base URL that somebody set: with and without the version are both in use. */
  readonly path?: (given: string) => string
  /** Images in the result of a tool. */
  readonly takesImages: boolean
  /** Its name in the table of prices; `url`: known by its address; undefined: it costs nothing. */
  readonly prices?: string
  readonly providerOptions?: LanguageModelV4CallOptions['providerOptions']
  readonly toolOptions?: Pick<LanguageModelV4FunctionTool, 'strict'>
  readonly models: readonly string[]
  /** Loads the package, and gives the models by name. Undefined: it speaks chat completions, and is asked without a package. */
  load?(settings: ProviderSettings): Promise<(name: string) => LanguageModelV4>
}

const openai: Provider = {
  id: 'openai',
  title: 'OpenAI',
  needs: [['OPENAI_API_KEY']],
  baseUrlVariables: ['OPENAI_BASE_URL'],
  baseURL: () => 'https://api.openai.com/v1',
  path: (given) => given || '/v1',
  takesImages: true,
  prices: 'openai',
  // The conversation is ours to keep: nothing is stored there, and what the model wants back of its thoughts travels sealed.
  providerOptions: { openai: { store: false } },
  // Left out, it would rewrite the schemas of tools and send null for each optional argument.
  toolOptions: { strict: false },
  models: [
    'gpt-6-astra',
    'gpt-6.1-sol',
    'gpt-6.1-terra',
    'gpt-6-luna',
    'gpt-5.4',
    'gpt-5.4-mini',
    'gpt-5.4-nano',
  ],
  async load({ baseURL, values, fetch }) {
    const { createOpenAI } = await import('@ai-sdk/openai')
    return createOpenAI({ baseURL, apiKey: values.OPENAI_API_KEY ?? '', fetch })
  },
}

const anthropic: Provider = {
  id: 'anthropic',
  title: 'Anthropic',
  needs: [['ANTHROPIC_API_KEY']],
  baseUrlVariables: ['ANTHROPIC_BASE_URL'],
  baseURL: () => 'https://api.anthropic.com/v1',
  path: (given) => (given.endsWith('/v1') ? given : `${given}/v1`),
  takesImages: true,
  prices: 'anthropic',
  models: [
    'claude-opus-5-5',
    'claude-sonnet-5-5',
    'claude-haiku-5-5',
    'claude-fable-5-2',
    'claude-sonnet-4-5',
  ],
  async load({ baseURL, values, fetch }) {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic({ baseURL, apiKey: values.ANTHROPIC_API_KEY ?? '', fetch })
  },
}

const google: Provider = {
  id: 'google',
  title: 'Google',
  needs: [['GOOGLE_GENERATIVE_AI_API_KEY'], ['GEMINI_API_KEY'], ['GOOGLE_API_KEY']],
  baseUrlVariables: ['GOOGLE_GENERATIVE_AI_BASE_URL', 'GOOGLE_GEMINI_BASE_URL'],
  baseURL: () => 'https://generativelanguage.googleapis.com/v1beta',
  path: (given) => given || '/v1beta',
  takesImages: true,
  prices: 'google',
  models: [
    'gemini-4-argon',
    'gemini-4-carbon',
    'gemini-3.8-flash',
    'gemini-3.5-flash-lite',
    'gemini-2.5-pro',
  ],
  async load({ baseURL, values, fetch }) {
    const { createGoogle } = await import('@ai-sdk/google')
    const { GOOGLE_GENERATIVE_AI_API_KEY, GEMINI_API_KEY, GOOGLE_API_KEY } = values
    const apiKey = GOOGLE_GENERATIVE_AI_API_KEY ?? GEMINI_API_KEY ?? GOOGLE_API_KEY ?? ''
    return createGoogle({ baseURL, apiKey, fetch })
  },
}

const mistral: Provider = {
  id: 'mistral',
  title: 'Mistral',
  needs: [['MISTRAL_API_KEY']],
  baseUrlVariables: ['MISTRAL_BASE_URL'],
  baseURL: () => 'https://api.mistral.ai/v1',
  path: (given) => given || '/v1',
  takesImages: false,
  prices: 'mistral',
  models: [
    'mistral-large-latest',
    'mistral-medium-latest',
    'mistral-small-latest',
    'magistral-medium-latest',
  ],
  async load({ baseURL, values, fetch }) {
    const { createMistral } = await import('@ai-sdk/mistral')
    return createMistral({ baseURL, apiKey: values.MISTRAL_API_KEY ?? '', fetch })
  },
}

const groq: Provider = {
  id: 'groq',
  title: 'Groq',
  needs: [['GROQ_API_KEY']],
  baseUrlVariables: ['GROQ_BASE_URL'],
  baseURL: () => 'https://api.groq.com/openai/v1',
  path: (given) => given || '/openai/v1',
  takesImages: false,
  prices: 'groq',
  models: ['openai/gpt-oss-120b', 'openai/gpt-oss-20b', 'llama-3.3-70b-versatile', 'qwen/qwen3.6-27b'],
  async load({ baseURL, values, fetch }) {
    const { createGroq } = await import('@ai-sdk/groq')
    return createGroq({ baseURL, apiKey: values.GROQ_API_KEY ?? '', fetch })
  },
}

const bedrock: Provider = {
  id: 'amazon-bedrock',
  title: 'Amazon Bedrock',
  needs: [
    ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_REGION'],
    ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_REGION'],
  ],
  mayUse: ['AWS_SESSION_TOKEN'],
  baseUrlVariables: ['AWS_ENDPOINT_URL_BEDROCK_RUNTIME', 'AWS_ENDPOINT_URL'],
  baseURL: ({ AWS_REGION = '' }) => {
    if (!/^[a-z0-9-]+$/.test(AWS_REGION)) return ''
    return `https://bedrock-runtime.${AWS_REGION}.amazonaws.com${AWS_REGION.startsWith('cn-') ? '.cn' : ''}`
  },
  takesImages: true,
  prices: 'aws',
  models: [
    'us.anthropic.claude-opus-5-5',
    'us.anthropic.claude-sonnet-5-5',
    'us.amazon.nova-pro-v1:0',
    'openai.gpt-oss-120b-1:0',
  ],
  async load({ baseURL, values, fetch }) {
    const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock')
    // Each one given, if empty: what is left out, the package looks for in the environment of the process.
    return createAmazonBedrock({
      baseURL,
      fetch,
      region: values.AWS_REGION ?? '',
      apiKey: values.AWS_BEARER_TOKEN_BEDROCK ?? '',
      accessKeyId: values.AWS_ACCESS_KEY_ID ?? '',
      secretAccessKey: values.AWS_SECRET_ACCESS_KEY ?? '',
      ...(values.AWS_SESSION_TOKEN !== undefined && { sessionToken: values.AWS_SESSION_TOKEN }),
    })
  },
}

/** One that speaks OpenAI's chat completions, mostly on the machine at hand. */
function defineCompatible(id: string, title: string, prefix: string, url?: string): Provider {
  const baseUrlVariable = `${prefix}_BASE_URL`
  const keyVariable = `${prefix}_API_KEY`
  return {
    id,
    title,
    needs: [url === undefined ? [baseUrlVariable] : []],
    mayUse: [keyVariable],
    baseUrlVariables: [baseUrlVariable],
    ...(url !== undefined && { baseURL: () => url }),
    path: (given) => given || '/v1',
    takesImages: false,
    ...(url === undefined && { prices: 'url' }),
    models: [],
  }
}

export const PROVIDERS: readonly Provider[] = Object.freeze([
  openai,
  anthropic,
  google,
  mistral,
  groq,
  bedrock,
  defineCompatible('openai-compatible', 'The OpenAI-compatible server', 'OPENAI_COMPATIBLE'),
  defineCompatible('ollama', 'Ollama', 'OLLAMA', 'http://127.0.0.1:11434/v1'),
  defineCompatible('lmstudio', 'LM Studio', 'LMSTUDIO', 'http://127.0.0.1:1234/v1'),
  defineCompatible('vllm', 'vLLM', 'VLLM', 'http://127.0.0.1:8000/v1'),
])

/** Other names of a provider. */
export const ALIASES: ReadonlyMap<string, string> = new Map([['bedrock', 'amazon-bedrock']])
