"""PyGithub against the service: `client.py <url> <token>`."""

import sys

from github import BadCredentialsException, Github, GithubException, UnknownObjectException

url, token = sys.argv[1:]
github = Github(token, base_url=url, per_page=2, retry=None)

assert github.get_user().login == "octocat"
repo = github.get_repo("octocat/hello-world")
assert repo.owner.login == "octocat" and not repo.private

readme = repo.get_contents("README.md")
assert readme.decoded_content == b"# Hello\n"
repo.update_file("README.md", "Say more", "# Hello you\n", readme.sha)
repo.create_file("docs/tea.md", "Add tea", b"Tea")
assert repo.get_contents("docs/tea.md").decoded_content == b"Tea"
assert [commit.commit.message for commit in repo.get_commits()] == ["Add tea", "Say more", "Initial commit"]

main = repo.get_branch("main")
repo.create_git_ref("refs/heads/tea", main.commit.sha)
repo.create_file("tea.txt", "More tea", "tea", branch="tea")
pull = repo.create_pull(title="Tea", body="", head="tea", base="main")
assert pull.mergeable and pull.commits == 1
assert [one.filename for one in pull.get_files()] == ["tea.txt"]
assert pull.merge().merged
assert repo.get_pull(pull.number).merged

for number in range(5):
    repo.create_issue(title=f"Issue {number}", labels=["bug"])
assert repo.get_issues(state="open").totalCount == 5
issues = list(repo.get_issues(direction="asc"))
assert [one.title for one in issues] == [f"Issue {number}" for number in range(5)]
issues[0].create_comment("Yes")
assert [one.body for one in issues[0].get_comments()] == ["Yes"]
issues[0].edit(state="closed")
assert repo.get_issue(issues[0].number).state == "closed"
assert github.search_issues("Issue is:open repo:octocat/hello-world").totalCount == 4

release = repo.create_git_release("v1", "First", "The first one")
assert repo.get_latest_release().tag_name == release.tag_name == "v1"
main.commit.create_status("success", context="ci")
assert main.commit.get_combined_status().state == "success"
assert github.rate_limiting[1] == 5000

for expected, call in (
    (UnknownObjectException, lambda: github.get_repo("octocat/none")),
    (BadCredentialsException, lambda: Github("ghp_invalid", base_url=url, retry=None).get_user().login),
    (GithubException, lambda: repo.create_git_ref("refs/heads/main", main.commit.sha)),
):
    try:
        call()
    except expected:
        continue
    raise SystemExit(f"{expected.__name__} was not raised")
print("done")
