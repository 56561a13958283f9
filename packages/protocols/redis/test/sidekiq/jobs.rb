# Jobs for the worker of Sidekiq: what each comes to stands in the list `done`. The worker ends itself after the last.
require 'sidekiq'
require 'sidekiq/api'

Sidekiq.logger.level = Logger::FATAL
Sidekiq.configure_server { |config| config.options[:poll_interval_average] = 0.2 }

JOBS = 4

def note(text)
  count = Sidekiq.redis { |redis| redis.rpush('done', text) }
  Process.kill('TERM', Process.pid) if count == JOBS
end

class Add
  include Sidekiq::Worker

  def perform(one, two)
    note("sum #{one + two}")
  end
end

# Fails once; Sidekiq adds up to ten seconds to each delay, so that the job that comes later brings the retry forward.
class Flaky
  include Sidekiq::Worker
  sidekiq_options retry: 2

  def perform
    tries = Sidekiq.redis { |redis| redis.incr('tries') }
    raise 'not yet' if tries == 1

    note("tried #{tries}")
  end
end

class BringForward
  include Sidekiq::Worker

  def perform
    retries = Sidekiq::RetrySet.new
    note("retries #{retries.map(&:klass).join(' ')}")
    retries.each { |job| job.reschedule(Time.now.to_f) }
  end
end

class Broken
  include Sidekiq::Worker
  sidekiq_options retry: 0
  sidekiq_retries_exhausted { |job, _| note("gave up: #{job['error_message']}") }

  def perform
    raise 'no'
  end
end
