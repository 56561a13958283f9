# Enqueues one job of each kind, and tells what waits.
require_relative 'jobs'

Add.perform_async(1, 2)
Flaky.perform_async
Broken.perform_async
BringForward.perform_in(1)
puts "queued #{Sidekiq::Queue.new.map(&:klass).join(' ')}"
puts "scheduled #{Sidekiq::ScheduledSet.new.map(&:klass).join(' ')}"
