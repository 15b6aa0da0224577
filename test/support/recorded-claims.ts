/** What GitHub, GitLab and Kubernetes put into their tokens, as recorded from each, with other names and numbers. */
export const recorded = {
  github: {
    sub: 'repo:acme/shop:ref:refs/heads/main',
    ref: 'refs/heads/main',
    repository: 'acme/shop',
    repository_id: '74231',
    repository_owner: 'acme',
    repository_owner_id: '65192',
    actor: 'octocat',
    actor_id: '583231',
    run_id: '30433642',
    event_name: 'push',
    job_workflow_ref: 'acme/shop/.github/workflows/deploy.yml@refs/heads/main',
    runner_environment: 'github-hosted',
  },
  gitlab: {
    sub: 'project_path:acme/shop:ref_type:branch:ref:main',
    namespace_id: '72',
    namespace_path: 'acme',
    project_id: '20',
    project_path: 'acme/shop',
    user_id: '1',
    user_login: 'ada',
    ref: 'main',
    ref_type: 'branch',
    ref_protected: 'true',
    pipeline_source: 'push',
  },
  kubernetes: {
    sub: 'system:serviceaccount:shop:deployer',
    'kubernetes.io': {
      namespace: 'shop',
      pod: { name: 'deploy-1', uid: '2b9c53f7-0e1f-4d4a-9c62-5c5c8d4b1a10' },
      serviceaccount: { name: 'deployer', uid: '5a1d7e44-7a0b-4f6e-8a57-9b0b6f1c2d3e' },
    },
  },
} as const;
